"""A provider of models that answers every question with "Roses."."""

from provider import serve

serve(lambda request: ("Roses.", 1, 1))
