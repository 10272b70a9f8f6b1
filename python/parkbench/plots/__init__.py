"""Charts of a sweep: a data frame in, axes or a figure out."""

from parkbench.plots.articles import against_load as against_load
from parkbench.plots.articles import articles as articles
from parkbench.plots.latency import latency as latency
from parkbench.plots.phases import phases as phases
