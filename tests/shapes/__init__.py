"""Small projects modelled on published ones, with the problems that `check` must report in each."""
