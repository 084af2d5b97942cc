// What Swift can't import from libvips and GLib: types that are macros, and casts to function pointers.
#pragma once
#include <malloc.h>
#include <vips/vips.h>

static inline GType cvips_type_boolean(void) { return G_TYPE_BOOLEAN; }
static inline GType cvips_type_int(void) { return G_TYPE_INT; }
static inline GType cvips_type_double(void) { return G_TYPE_DOUBLE; }
static inline GType cvips_type_string(void) { return G_TYPE_STRING; }
static inline GType cvips_type_enum(void) { return G_TYPE_ENUM; }
static inline GType cvips_type_flags(void) { return G_TYPE_FLAGS; }

// Bounds how many arenas glibc's allocator makes.
static inline void cvips_limit_malloc_arenas(int arenas) { mallopt(M_ARENA_MAX, arenas); }
