// A file that a saver writes, which remembers the first failure.
//
// libvips reports a failed write to the codec, and some codecs forget it: libtiff's TIFFClose returns nothing, so that
// a TIFF whose last directory wasn't written passes for a complete one. A subclass of VipsTarget sees every write. A
// VipsTargetCustom would too, but it calls back into Swift through GObject's signals, on libvips' threads and while
// objects are finalized; and pyramids, which libvips builds in a temporary file beside a named target, would be built
// in memory.
#include "CVipsLibrary.h"

#include <errno.h>
#include <pthread.h>
#include <vips/vips.h>

static GType file_type;
static VipsTargetClass *parent;

// libvips' struct may be longer than that of the headers, so nothing is appended to it.
static const char *const failure_name = "imagemill-failure";

static void note(VipsTarget *target, int code) {
  if (!g_object_get_data(G_OBJECT(target), failure_name))
    g_object_set_data(G_OBJECT(target), failure_name, GINT_TO_POINTER(code ? code : EIO));
}

static gint64 write_noting(VipsTarget *target, const void *data, size_t length) {
  gint64 written;
  do {
    written = parent->write(target, data, length);
  } while (written < 0 && errno == EINTR);
  if (written <= 0 && length > 0) {
    int code = written < 0 ? errno : EIO;
    note(target, code);
    errno = code;
  }
  return written;
}

static gint64 read_noting(VipsTarget *target, void *data, size_t length) {
  gint64 count = parent->read(target, data, length);
  if (count < 0) {
    int code = errno;
    note(target, code);
    errno = code;
  }
  return count;
}

static void initialize_class(gpointer class, gpointer data) {
  (void)data;
  parent = (VipsTargetClass *)g_type_class_peek_parent(class);
  VipsTargetClass *own = (VipsTargetClass *)class;
  own->write = write_noting;
  own->read = read_noting;
}

static void register_type(void) {
  GTypeQuery query;
  g_type_query(vips_target_get_type(), &query);
  GTypeInfo info = {
      .class_size = (guint16)query.class_size,
      .class_init = initialize_class,
      .instance_size = (guint16)query.instance_size,
  };
  file_type = g_type_register_static(vips_target_get_type(), "ImagemillFileTarget", &info, (GTypeFlags)0);
}

void *cvips_file_target_new(const char *path) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_type);
  VipsTarget *target = (VipsTarget *)g_object_new(file_type, "filename", path, NULL);
  if (vips_object_build((VipsObject *)target)) {
    g_object_unref(target);
    return NULL;
  }
  return target;
}

int cvips_file_target_failure(void *target) {
  return GPOINTER_TO_INT(g_object_get_data(G_OBJECT(target), failure_name));
}
