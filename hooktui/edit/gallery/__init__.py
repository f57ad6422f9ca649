"""The gallery: popular rules, ready to install in any format that supports them."""
