"""`python -m fsoft` is the command line."""

import sys

from fsoft.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
