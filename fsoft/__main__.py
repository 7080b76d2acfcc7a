"""`python -m fsoft` is the command line."""

from fsoft.cli.main import run_and_leave

if __name__ == "__main__":
    run_and_leave()
