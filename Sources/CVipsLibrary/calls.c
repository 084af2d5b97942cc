// Loads libvips on the first call of one of its functions.
//
// libvips depends on a hundred other libraries. Loading them takes longer than everything else that a command without
// images does, and much of its memory. Callers don't notice: these functions have the library's own names and types,
// which the compiler checks against its headers.
#include "CVipsLibrary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <vips/vips.h>

// The ABI number, unchanged since libvips 8.0.
static const char *const file_name = "libvips.so.42";

// FUNCTION(result, name, parameters, arguments), sorted by name. A missing one is an undefined symbol at link time.
#define FUNCTIONS \
  FUNCTION(void, vips_area_unref, (VipsArea *area), (area)) \
  FUNCTION(GType, vips_array_double_get_type, (void), ()) \
  FUNCTION(GType, vips_array_image_get_type, (void), ()) \
  FUNCTION(GType, vips_array_int_get_type, (void), ()) \
  FUNCTION(VipsBlob *, vips_blob_copy, (const void *data, size_t length), (data, length)) \
  FUNCTION(const void *, vips_blob_get, (VipsBlob *blob, size_t *length), (blob, length)) \
  FUNCTION(GType, vips_blob_get_type, (void), ()) \
  FUNCTION(void, vips_block_untrusted_set, (gboolean state), (state)) \
  FUNCTION(void, vips_cache_set_max, (int max), (max)) \
  FUNCTION(int, vips_concurrency_get, (void), ()) \
  FUNCTION(void, vips_concurrency_set, (int concurrency), (concurrency)) \
  FUNCTION(int, vips_enum_from_nick, (const char *domain, GType type, const char *str), (domain, type, str)) \
  FUNCTION(const char *, vips_enum_nick, (GType enm, int value), (enm, value)) \
  FUNCTION(char *, vips_error_buffer_copy, (void), ()) \
  FUNCTION(void, vips_error_clear, (void), ()) \
  FUNCTION(guint64, vips_format_sizeof, (VipsBandFormat format), (format)) \
  FUNCTION(VipsImage *, vips_image_copy_memory, (VipsImage *image), (image)) \
  FUNCTION(int, vips_image_get_array_int, (VipsImage *image, const char *name, int **out, int *n), (image, name, out, n)) \
  FUNCTION(int, vips_image_get_as_string, (const VipsImage *image, const char *name, char **out), (image, name, out)) \
  FUNCTION(int, vips_image_get_bands, (const VipsImage *image), (image)) \
  FUNCTION(int, vips_image_get_blob, (const VipsImage *image, const char *name, const void **data, size_t *length), (image, name, data, length)) \
  FUNCTION(gchar **, vips_image_get_fields, (VipsImage *image), (image)) \
  FUNCTION(VipsBandFormat, vips_image_get_format, (const VipsImage *image), (image)) \
  FUNCTION(int, vips_image_get_height, (const VipsImage *image), (image)) \
  FUNCTION(int, vips_image_get_int, (const VipsImage *image, const char *name, int *out), (image, name, out)) \
  FUNCTION(int, vips_image_get_string, (const VipsImage *image, const char *name, const char **out), (image, name, out)) \
  FUNCTION(VipsInterpretation, vips_image_get_interpretation, (const VipsImage *image), (image)) \
  FUNCTION(int, vips_image_get_orientation, (VipsImage *image), (image)) \
  FUNCTION(int, vips_image_get_page_height, (VipsImage *image), (image)) \
  FUNCTION(GType, vips_image_get_type, (void), ()) \
  FUNCTION(GType, vips_image_get_typeof, (const VipsImage *image, const char *name), (image, name)) \
  FUNCTION(int, vips_image_get_width, (const VipsImage *image), (image)) \
  FUNCTION(int, vips_image_generate, (VipsImage *image, VipsStartFn start_fn, VipsGenerateFn generate_fn, VipsStopFn stop_fn, void *a, void *b), (image, start_fn, generate_fn, stop_fn, a, b)) \
  FUNCTION(gboolean, vips_image_hasalpha, (VipsImage *image), (image)) \
  FUNCTION(void, vips_image_init_fields, (VipsImage *image, int xsize, int ysize, int bands, VipsBandFormat format, VipsCoding coding, VipsInterpretation interpretation, double xres, double yres), (image, xsize, ysize, bands, format, coding, interpretation, xres, yres)) \
  FUNCTION(VipsImage *, vips_image_new, (void), ()) \
  FUNCTION(VipsImage *, vips_image_new_from_memory_copy, (const void *data, size_t size, int width, int height, int bands, VipsBandFormat format), (data, size, width, height, bands, format)) \
  FUNCTION(VipsImage *, vips_image_new_memory, (void), ()) \
  FUNCTION(int, vips_image_wio_input, (VipsImage *image), (image)) \
  FUNCTION(int, vips_image_pipeline_array, (VipsImage *image, VipsDemandStyle hint, VipsImage **in), (image, hint, in)) \
  FUNCTION(gboolean, vips_image_remove, (VipsImage *image, const char *name), (image, name)) \
  FUNCTION(void, vips_image_set_array_int, (VipsImage *image, const char *name, const int *array, int n), (image, name, array, n)) \
  FUNCTION(void, vips_image_set_blob_copy, (VipsImage *image, const char *name, const void *data, size_t length), (image, name, data, length)) \
  FUNCTION(void, vips_image_set_double, (VipsImage *image, const char *name, double d), (image, name, d)) \
  FUNCTION(void, vips_image_set_int, (VipsImage *image, const char *name, int i), (image, name, i)) \
  FUNCTION(void, vips_image_set_string, (VipsImage *image, const char *name, const char *str), (image, name, str)) \
  FUNCTION(int, vips_image_write_prepare, (VipsImage *image), (image)) \
  FUNCTION(void *, vips_image_write_to_memory, (VipsImage *in, size_t *size), (in, size)) \
  FUNCTION(int, vips_init, (const char *argv0), (argv0)) \
  FUNCTION(GType, vips_interpolate_get_type, (void), ()) \
  FUNCTION(VipsInterpolate *, vips_interpolate_new, (const char *nickname), (nickname)) \
  FUNCTION(GType, vips_interpretation_get_type, (void), ()) \
  FUNCTION(int, vips_object_build, (VipsObject *object), (object)) \
  FUNCTION(void, vips_object_unref_outputs, (VipsObject *object), (object)) \
  FUNCTION(void, vips_operation_block_set, (const char *name, gboolean state), (name, state)) \
  FUNCTION(VipsOperation *, vips_operation_new, (const char *name), (name)) \
  FUNCTION(GType, vips_ref_string_get_type, (void), ()) \
  FUNCTION(VipsRegion *, vips_region_new, (VipsImage *image), (image)) \
  FUNCTION(int, vips_region_prepare, (VipsRegion *reg, const VipsRect *r), (reg, r)) \
  FUNCTION(GType, vips_source_get_type, (void), ()) \
  FUNCTION(void *, vips_start_one, (VipsImage *out, void *a, void *b), (out, a, b)) \
  FUNCTION(int, vips_stop_one, (void *seq, void *a, void *b), (seq, a, b)) \
  FUNCTION(GType, vips_target_get_type, (void), ()) \
  FUNCTION(int, vips_tracked_get_allocs, (void), ()) \
  FUNCTION(size_t, vips_tracked_get_mem, (void), ()) \
  FUNCTION(size_t, vips_tracked_get_mem_highwater, (void), ()) \
  FUNCTION(GType, vips_type_find, (const char *basename, const char *nickname), (basename, nickname)) \
  FUNCTION(double *, vips_value_get_array_double, (const GValue *value, int *n), (value, n)) \
  FUNCTION(VipsImage **, vips_value_get_array_image, (const GValue *value, int *n), (value, n)) \
  FUNCTION(void, vips_value_set_array_double, (GValue *value, const double *array, int n), (value, array, n)) \
  FUNCTION(void, vips_value_set_array_image, (GValue *value, int n), (value, n)) \
  FUNCTION(void, vips_value_set_array_int, (GValue *value, const int *array, int n), (value, array, n)) \
  FUNCTION(int, vips_version, (int flag), (flag))

#define FUNCTION(result, name, parameters, arguments) static result(*name##_pointer) parameters;
FUNCTIONS
#undef FUNCTION

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[512];

static void load(void) {
  void *library = dlopen(file_name, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    snprintf(failure, sizeof failure, "%s", dlerror());
    return;
  }
#define FUNCTION(result, name, parameters, arguments)                         \
  *(void **)&name##_pointer = dlsym(library, #name);                          \
  if (!name##_pointer) {                                                      \
    snprintf(failure, sizeof failure, "%s has no function " #name, file_name); \
    return;                                                                   \
  }
  FUNCTIONS
#undef FUNCTION
}

const char *cvips_library_load(void) {
  pthread_once(&once, load);
  return failure[0] ? failure : NULL;
}

static void require(void) {
  const char *reason = cvips_library_load();
  if (!reason) return;
  fprintf(stderr, "libvips can't be loaded: %s\n", reason);
  abort();
}

#define FUNCTION(result, name, parameters, arguments) \
  result name parameters {                            \
    require();                                        \
    return name##_pointer arguments;                  \
  }
FUNCTIONS
