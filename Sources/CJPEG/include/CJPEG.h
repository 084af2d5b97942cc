#ifndef CJPEG_H
#define CJPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Writes JPEG files with libjpeg, whose errors are reported by longjmp(3), which Swift can't call.

struct cjpeg_settings {
  int32_t width;
  int32_t height;
  // 1: gray, 3: RGB.
  int32_t bands;
  // From 1 to 100.
  int32_t quality;
  bool progressive;
  // Huffman tables made for the image.
  bool optimize;
  // Half of the chroma samples in both directions.
  bool subsample;
};

struct cjpeg_writer;

// Starts a file in memory, without a JFIF header or other metadata. NULL if memory is exhausted.
struct cjpeg_writer *cjpeg_begin(struct cjpeg_settings settings);
// Encodes the next `count` rows, each of width * bands samples of 8 bits, `stride` bytes apart.
void cjpeg_write(struct cjpeg_writer *writer, const uint8_t *rows, size_t stride, int32_t count);
// Ends the file when all rows are written. The bytes belong to the writer.
void cjpeg_finish(struct cjpeg_writer *writer, const uint8_t **bytes, size_t *size);
// libjpeg's first error; NULL without one. After an error, the other calls do nothing.
const char *cjpeg_error(const struct cjpeg_writer *writer);
void cjpeg_destroy(struct cjpeg_writer *writer);

#endif
