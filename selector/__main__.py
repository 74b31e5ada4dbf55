"""`python -m selector`: the same as the command `memsel`."""

from selector.cli import main

raise SystemExit(main())
