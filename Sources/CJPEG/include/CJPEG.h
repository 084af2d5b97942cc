#ifndef CJPEG_H
#define CJPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reads and writes JPEG files with libjpeg, whose errors are reported by longjmp(3), which Swift can't call.

// MARK: Writing

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

// MARK: Reading

struct cjpeg_header {
  int32_t width;
  int32_t height;
  // 1: gray, 3: RGB after conversion.
  int32_t bands;
  // Several scans, of which the first isn't the whole image: progressive, or not interleaved.
  bool has_scans;
  // Fewer samples for chroma than for luma.
  bool is_subsampled;
  // JFIF's density: its unit (0: none, 1: inch, 2: centimeter), and the pixels in each direction.
  bool has_density;
  uint8_t density_unit;
  uint16_t density_x;
  uint16_t density_y;
  // A segment that may hold EXIF, XMP, a color profile or IPTC (APP1, APP2, APP13).
  bool has_metadata;
};

struct cjpeg_reader;

// Reads a file's header. The bytes must outlive the reader. NULL if memory is exhausted, the header has a fault, even one
// that libjpeg only warns of, or the image isn't gray or RGB after conversion.
struct cjpeg_reader *cjpeg_open(const uint8_t *bytes, size_t size, struct cjpeg_header *header);
// Decodes the image at 1/shrink (1, 2, 4 or 8) of its size, rounded down, to rows that are `stride` bytes apart.
// False on any fault, even one that libjpeg only warns of: the pixels are then undefined. May be called once.
bool cjpeg_decode(struct cjpeg_reader *reader, int32_t shrink, uint8_t *rows, size_t stride);
void cjpeg_close(struct cjpeg_reader *reader);

#endif
