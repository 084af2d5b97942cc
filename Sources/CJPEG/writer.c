#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

// After <stdio.h>, which it doesn't include.
#include <jpeglib.h>

struct cjpeg_writer {
  struct jpeg_compress_struct encoder;
  struct jpeg_error_mgr errors;
  jmp_buf failure;
  unsigned char *bytes;
  unsigned long size;
  bool has_failed;
  char message[JMSG_LENGTH_MAX];
};

static void fail(j_common_ptr encoder) {
  struct cjpeg_writer *writer = encoder->client_data;
  writer->has_failed = true;
  encoder->err->format_message(encoder, writer->message);
  longjmp(writer->failure, 1);
}

// Warnings concern decoders. libjpeg would print them.
static void ignore(j_common_ptr encoder) { (void)encoder; }

static void begin(struct cjpeg_writer *writer, struct cjpeg_settings settings) {
  struct jpeg_compress_struct *encoder = &writer->encoder;
  if (setjmp(writer->failure)) return;
  jpeg_create_compress(encoder);
  jpeg_mem_dest(encoder, &writer->bytes, &writer->size);
  encoder->image_width = (JDIMENSION)settings.width;
  encoder->image_height = (JDIMENSION)settings.height;
  encoder->input_components = settings.bands;
  encoder->in_color_space = settings.bands == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(encoder);
  jpeg_set_quality(encoder, settings.quality, TRUE);
  encoder->optimize_coding = settings.optimize;
  encoder->write_JFIF_header = FALSE;
  if (settings.progressive) jpeg_simple_progression(encoder);
  if (!settings.subsample) {
    for (int index = 0; index < encoder->num_components; index++) {
      encoder->comp_info[index].h_samp_factor = 1;
      encoder->comp_info[index].v_samp_factor = 1;
    }
  }
  jpeg_start_compress(encoder, TRUE);
}

struct cjpeg_writer *cjpeg_begin(struct cjpeg_settings settings) {
  struct cjpeg_writer *writer = calloc(1, sizeof *writer);
  if (!writer) return NULL;
  writer->encoder.err = jpeg_std_error(&writer->errors);
  writer->encoder.client_data = writer;
  writer->errors.error_exit = fail;
  writer->errors.output_message = ignore;
  begin(writer, settings);
  return writer;
}

void cjpeg_write(struct cjpeg_writer *writer, const uint8_t *rows, size_t stride, int32_t count) {
  if (writer->has_failed || setjmp(writer->failure)) return;
  for (int32_t index = 0; index < count; index++) {
    JSAMPROW row = (JSAMPROW)(rows + (size_t)index * stride);
    jpeg_write_scanlines(&writer->encoder, &row, 1);
  }
}

void cjpeg_finish(struct cjpeg_writer *writer, const uint8_t **bytes, size_t *size) {
  if (writer->has_failed || setjmp(writer->failure)) return;
  jpeg_finish_compress(&writer->encoder);
  *bytes = writer->bytes;
  *size = writer->size;
}

const char *cjpeg_error(const struct cjpeg_writer *writer) { return writer->has_failed ? writer->message : NULL; }

void cjpeg_destroy(struct cjpeg_writer *writer) {
  jpeg_destroy_compress(&writer->encoder);
  free(writer->bytes);
  free(writer);
}
