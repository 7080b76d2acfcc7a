"""Questions and answers: loading a program, asking engines about it, confirming what they say."""
