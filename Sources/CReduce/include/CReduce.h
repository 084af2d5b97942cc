#ifndef CREDUCE_H
#define CREDUCE_H

#include <stddef.h>
#include <stdint.h>

// Weights are fixed-point numbers: those of one sum add up to 1 << CREDUCE_WEIGHT_BITS.
#define CREDUCE_WEIGHT_BITS 14
// Fractional bits of the sums of rows of 8 bits.
#define CREDUCE_FRACTION_BITS 6
// Numbers that may be read after the last of a row of sums. They must exist; their values don't matter.
#define CREDUCE_PADDING 8

// Where a line of sums finds its numbers, and how it weighs them.
struct creduce_line {
  // For each sum, the index of its first number, in pixels.
  const int32_t *starts;
  // `taps` for each sum.
  const int16_t *weights;
  // An even number. A sum with fewer numbers has weights of 0 behind its last.
  int32_t taps;
  // How many sums there are.
  int32_t count;
};

// Adds up `taps` rows of `count` numbers.
void creduce_rows_8(const uint8_t *const *rows, const int16_t *weights, int32_t taps, ptrdiff_t count, int16_t *sums);
// The same for 16 bits, without a fraction.
void creduce_rows_16(const uint16_t *const *rows, const int16_t *weights, int32_t taps, ptrdiff_t count, int32_t *sums);

// Adds up the pixels of a row of sums, and rounds and clips to 8 bits. `bands` is 1 to 4.
void creduce_pixels_8(const int16_t *sums, int32_t bands, struct creduce_line line, uint8_t *pixels);
// The same for 16 bits.
void creduce_pixels_16(const int32_t *sums, int32_t bands, struct creduce_line line, uint16_t *pixels);

// Colors times alpha, and alpha times 255, of `count` pixels of 8 bits whose last band is alpha.
void creduce_premultiply(const uint8_t *pixels, int32_t bands, ptrdiff_t count, uint16_t *products);
// As creduce_pixels_16, from such products back to 8 bits: colors divided by their alpha. `bands` is 2 or 4.
void creduce_pixels_alpha(const int32_t *sums, int32_t bands, struct creduce_line line, uint8_t *pixels);

#endif
