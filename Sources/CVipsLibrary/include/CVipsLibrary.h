#pragma once

// Loads libvips if it isn't loaded. Returns NULL, or the reason why loading failed. Thread-safe.
//
// This module also defines the functions of <vips/vips.h> that this package calls. Each loads the library first and
// aborts the process if that fails.
const char *cvips_library_load(void);
