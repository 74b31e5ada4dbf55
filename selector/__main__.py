"""`python -m selector`: the same as the command `memsel`."""

from selector.cli import console

raise SystemExit(console())
