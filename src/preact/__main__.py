"""`python -m preact`: the same as the `preact` command."""

import sys

try:
    from preact.cli import main
except KeyboardInterrupt:
    sys.exit(130)
sys.exit(main())
