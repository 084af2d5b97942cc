// A file that a loader reads through a descriptor.
//
// Duplicates of a descriptor share its position, also with other processes, and libvips' source of a descriptor uses it: two
// decoders that read the same file at the same time would move it for each other. This one keeps a position of its own.
// libvips maps the file from the descriptor, as it does with a path.
#include "CVipsLibrary.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vips/vips.h>

static GType file_type;
static GQuark position_name;

// libvips' struct may be longer than that of the headers, so nothing is appended to it.
static gint64 *position_of(VipsSource *source) {
  return (gint64 *)g_object_get_qdata((GObject *)source, position_name);
}

// The source's own duplicate.
static int descriptor_of(VipsSource *source) { return ((VipsConnection *)source)->descriptor; }

static gint64 read_at(VipsSource *source, void *data, size_t length) {
  gint64 *position = position_of(source);
  ssize_t count;
  do {
    count = pread(descriptor_of(source), data, length, *position);
  } while (count < 0 && errno == EINTR);
  if (count > 0) *position += count;
  return count;
}

static gint64 seek_to(VipsSource *source, gint64 offset, int whence) {
  gint64 *position = position_of(source);
  gint64 start = 0;
  if (whence == SEEK_CUR) start = *position;
  if (whence == SEEK_END) {
    struct stat status;
    if (fstat(descriptor_of(source), &status)) return -1;
    start = status.st_size;
  }
  gint64 place;
  if (__builtin_add_overflow(start, offset, &place) || place < 0) {
    errno = EINVAL;
    return -1;
  }
  return *position = place;
}

static void initialize_class(gpointer class, gpointer data) {
  (void)data;
  VipsSourceClass *own = (VipsSourceClass *)class;
  own->read = read_at;
  own->seek = seek_to;
}

static void register_type(void) {
  GTypeQuery query;
  g_type_query(vips_source_get_type(), &query);
  GTypeInfo info = {
      .class_size = (guint16)query.class_size,
      .class_init = initialize_class,
      .instance_size = (guint16)query.instance_size,
  };
  position_name = g_quark_from_static_string("imagemill-position");
  file_type = g_type_register_static(vips_source_get_type(), "ImagemillFileSource", &info, (GTypeFlags)0);
}

void *cvips_file_source_new(int descriptor, int *error) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_type);
  VipsSource *source = (VipsSource *)g_object_new(file_type, "descriptor", descriptor, NULL);
  g_object_set_qdata_full((GObject *)source, position_name, g_new0(gint64, 1), g_free);
  if (vips_object_build((VipsObject *)source)) {
    g_object_unref(source);
    return NULL;
  }
  // libvips doesn't check its dup(2).
  if (descriptor_of(source) < 0) {
    *error = errno;
    g_object_unref(source);
    return NULL;
  }
  fcntl(descriptor_of(source), F_SETFD, FD_CLOEXEC);
  return source;
}

static void remove_file(gpointer path) {
  unlink((const char *)path);
  g_free(path);
}

void cvips_remove_with(void *image, const char *path) {
  g_object_set_data_full((GObject *)image, "imagemill-file", g_strdup(path), remove_file);
}
