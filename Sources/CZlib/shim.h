// zlib, for manifests that are compressed with gzip.
#pragma once
#include <zlib.h>
