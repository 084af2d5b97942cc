#ifndef CREDUCE_H
#define CREDUCE_H

#include <stddef.h>
#include <stdint.h>

// The fractional bits of weights. The weights of one sum add up to 1 << CREDUCE_WEIGHT_BITS.
#define CREDUCE_WEIGHT_BITS 14
// The fractional bits in the sums of 8-bit rows.
#define CREDUCE_FRACTION_BITS 6
// The number of sums that may be read past a row's end. They must be allocated; their values don't matter.
#define CREDUCE_PADDING 8

// The weights that reduce a row of sums to an output row.
struct creduce_line {
  // For each output pixel, the index of the first pixel that it reads.
  const int32_t *starts;
  // `taps` weights for each output pixel.
  const int16_t *weights;
  // The pixels that each output pixel reads, an even number. Unused taps have weights of 0.
  int32_t taps;
  // The number of output pixels.
  int32_t count;
};

// Sums `taps` weighted rows of `count` samples.
void creduce_rows_8(const uint8_t *const *rows, const int16_t *weights, int32_t taps, ptrdiff_t count, int16_t *sums);
// The same for 16-bit samples. The sums have no fractional bits.
void creduce_rows_16(const uint16_t *const *rows, const int16_t *weights, int32_t taps, ptrdiff_t count, int32_t *sums);

// Sums the weighted pixels of a row of sums, rounded and clipped to 8 bits. `bands` is 1 to 4.
void creduce_pixels_8(const int16_t *sums, int32_t bands, struct creduce_line line, uint8_t *pixels);
// The same for 16-bit samples.
void creduce_pixels_16(const int32_t *sums, int32_t bands, struct creduce_line line, uint16_t *pixels);

// Premultiplies `count` 8-bit pixels whose last band is alpha: colors times alpha, and alpha times 255.
void creduce_premultiply(const uint8_t *pixels, int32_t bands, ptrdiff_t count, uint16_t *products);
// Like creduce_pixels_16 for premultiplied rows, divided by alpha and converted to 8 bits. `bands` is 2 or 4.
void creduce_pixels_alpha(const int32_t *sums, int32_t bands, struct creduce_line line, uint8_t *pixels);

#endif
