"""`python -m parkbench`."""

from parkbench.cli import main

if __name__ == "__main__":
    main()
