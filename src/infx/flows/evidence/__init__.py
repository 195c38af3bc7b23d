"""The story of `infx evidence collect`: facts of a submission, one file for each kind of them."""
