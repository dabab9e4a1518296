"""`python -m preact`: the same as the `preact` command."""

import sys

from preact.cli import main

sys.exit(main())
