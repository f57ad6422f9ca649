"""The gallery: rules that people use most, ready to install in any format that supports them."""
