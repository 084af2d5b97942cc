#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// After <stdio.h>, which it doesn't include.
#include <jpeglib.h>

struct cjpeg_reader {
  struct jpeg_decompress_struct decoder;
  struct jpeg_error_mgr errors;
  jmp_buf fault;
  // libjpeg pads the last column of a shrunken image whose side isn't a multiple of the factor.
  uint8_t *padded;
};

static void leave(j_common_ptr decoder) {
  struct cjpeg_reader *reader = decoder->client_data;
  longjmp(reader->fault, 1);
}

// A warning means samples that libjpeg made up, or bytes that it skipped.
static void leave_at_warning(j_common_ptr decoder, int level) {
  if (level < 0) leave(decoder);
}

static void ignore(j_common_ptr decoder) { (void)decoder; }

static bool read_header(struct cjpeg_reader *reader, const uint8_t *bytes, size_t size, struct cjpeg_header *header) {
  struct jpeg_decompress_struct *decoder = &reader->decoder;
  if (setjmp(reader->fault)) return false;
  jpeg_create_decompress(decoder);
  jpeg_mem_src(decoder, bytes, size);
  // One byte of each tells that they are there.
  const int segments[] = {JPEG_APP0 + 1, JPEG_APP0 + 2, JPEG_APP0 + 13};
  for (size_t index = 0; index < sizeof segments / sizeof *segments; index++) {
    jpeg_save_markers(decoder, segments[index], 1);
  }
  jpeg_read_header(decoder, TRUE);
  bool is_gray = decoder->out_color_space == JCS_GRAYSCALE && decoder->num_components == 1;
  bool is_color = decoder->out_color_space == JCS_RGB && decoder->num_components == 3;
  *header = (struct cjpeg_header){
      .width = (int32_t)decoder->image_width,
      .height = (int32_t)decoder->image_height,
      .bands = is_gray ? 1 : 3,
      .has_scans = jpeg_has_multiple_scans(decoder),
      .is_subsampled = decoder->max_h_samp_factor > 1 || decoder->max_v_samp_factor > 1,
      .has_density = decoder->saw_JFIF_marker,
      .density_unit = decoder->density_unit,
      .density_x = decoder->X_density,
      .density_y = decoder->Y_density,
      .has_metadata = decoder->marker_list != NULL,
  };
  return is_gray || is_color;
}

struct cjpeg_reader *cjpeg_open(const uint8_t *bytes, size_t size, struct cjpeg_header *header) {
  struct cjpeg_reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->decoder.err = jpeg_std_error(&reader->errors);
  reader->decoder.client_data = reader;
  reader->errors.error_exit = leave;
  reader->errors.emit_message = leave_at_warning;
  reader->errors.output_message = ignore;
  if (read_header(reader, bytes, size, header)) return reader;
  cjpeg_close(reader);
  return NULL;
}

bool cjpeg_decode(struct cjpeg_reader *reader, int32_t shrink, uint8_t *rows, size_t stride) {
  struct jpeg_decompress_struct *decoder = &reader->decoder;
  if (setjmp(reader->fault)) return false;
  decoder->scale_num = 1;
  decoder->scale_denom = (unsigned int)shrink;
  jpeg_start_decompress(decoder);
  size_t width = decoder->image_width / (unsigned int)shrink * (size_t)decoder->output_components;
  JDIMENSION height = decoder->image_height / (unsigned int)shrink;
  size_t whole = decoder->output_width * (size_t)decoder->output_components;
  reader->padded = malloc(whole);
  if (!reader->padded) return false;
  while (decoder->output_scanline < decoder->output_height) {
    JDIMENSION line = decoder->output_scanline;
    bool is_direct = line < height && whole == width;
    JSAMPROW row = is_direct ? rows + line * stride : reader->padded;
    jpeg_read_scanlines(decoder, &row, 1);
    if (line < height && !is_direct) memcpy(rows + line * stride, reader->padded, width);
  }
  return true;
}

void cjpeg_close(struct cjpeg_reader *reader) {
  jpeg_destroy_decompress(&reader->decoder);
  free(reader->padded);
  free(reader);
}
