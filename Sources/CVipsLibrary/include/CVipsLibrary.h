#pragma once

// Loads libvips if it isn't loaded. Returns NULL, or the reason why loading failed. Thread-safe.
//
// This module also defines the functions of <vips/vips.h> that this package calls. Each loads the library first and
// aborts the process if that fails.
const char *cvips_library_load(void);

// A VipsSource that reads an open file from its start. The caller keeps the descriptor, whose position neither matters nor
// changes. The caller owns the reference. Returns NULL if the descriptor can't be duplicated: either `error` is set to the
// errno, or libvips' error is set. Thread-safe.
void *cvips_file_source_new(int descriptor, int *error);

// Removes a file when a VipsImage is released.
void cvips_remove_with(void *image, const char *path);

// A VipsTarget that creates or truncates a file and remembers the first failed write or read. The caller owns the reference.
// Returns NULL, with libvips' error set, if the file can't be opened. Thread-safe.
void *cvips_file_target_new(const char *path);

// The errno of a target's first failure; 0 if there was none. Ask it once the saver has ended.
int cvips_file_target_failure(void *target);
