// What Swift can't import from libvips and GLib: casts and types that are macros.
#pragma once
#include <vips/vips.h>

static inline GType cvips_type_boolean(void) { return G_TYPE_BOOLEAN; }
static inline GType cvips_type_int(void) { return G_TYPE_INT; }
static inline GType cvips_type_double(void) { return G_TYPE_DOUBLE; }
static inline GType cvips_type_string(void) { return G_TYPE_STRING; }
