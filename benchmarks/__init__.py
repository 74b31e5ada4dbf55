"""What the project costs (`speed`) and how well it chooses (`quality`)."""
