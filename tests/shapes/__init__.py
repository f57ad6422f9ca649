"""Small projects modelled on what people publish: what `check` must tell of each, and what it must not."""
