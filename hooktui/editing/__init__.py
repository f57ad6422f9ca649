"""A person changes what a hook says: new ones from templates, fields by the form, problems by their fixes.

Only the bytes meant change, and a project hook that was approved stays so when its own person changed it here.
"""
