"""What these agents do in compiled code."""
