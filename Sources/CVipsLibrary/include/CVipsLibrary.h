#pragma once

// Loads libvips, if it hasn't been loaded; says why that failed, or NULL. Any thread may call it.
//
// The functions of <vips/vips.h> that this package calls are defined here too. Each loads the library first, and ends the process
// where that fails.
const char *cvips_library_load(void);
