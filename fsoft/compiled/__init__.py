"""The compiled program: the user's own binary under a schedule of ours."""
