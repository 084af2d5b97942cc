"""Converts the images of a Spark DataFrame with imagemill.

    from imagemill_spark import process

    results = process(rows, output_dir="/mnt/images")
"""

from ._pipe import PipeError
from ._process import process

__all__ = ["PipeError", "process"]
__version__ = "0.1.0"
