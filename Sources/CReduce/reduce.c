// The inner loops of a resampler: weighted sums of rows and of pixels.
//
// They are in C because Swift can't compile a function for several processors and select one at run time. With Swift's
// SIMD types the loops use SSE2 on x86-64, and debug builds are a hundred times slower because each operation is a
// generic call. libvips compiles such loops with Orc for each image, or leaves them scalar before 8.15.
#include "CReduce.h"

#include <string.h>
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif

#if defined(__x86_64__)
#include <emmintrin.h>
#endif
// The choice between clones runs while the program is loaded. Instrumented, it crashes: no sanitizer has started yet.
#if defined(__x86_64__) && !defined(SANITIZED)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx2", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif
#define INLINE static inline __attribute__((always_inline))

typedef int32_t int32x4 __attribute__((vector_size(16)));
typedef int32_t int32x8 __attribute__((vector_size(32)));
typedef int16_t int16x8 __attribute__((vector_size(16)));
typedef uint16_t uint16x8 __attribute__((vector_size(16)));
typedef uint8_t uint8x8 __attribute__((vector_size(8)));

enum { ROW_SHIFT = CREDUCE_WEIGHT_BITS - CREDUCE_FRACTION_BITS, PIXEL_SHIFT = CREDUCE_WEIGHT_BITS + CREDUCE_FRACTION_BITS };

// MARK: Rows

#define EIGHT(vector, address) \
  ({ vector eight; memcpy(&eight, (address), sizeof eight); __builtin_convertvector(eight, int32x8); })

FOR_EACH_PROCESSOR
void creduce_rows_8(const uint8_t *const *rows, const int16_t *weights, int32_t taps, ptrdiff_t count, int16_t *sums) {
  ptrdiff_t place = 0;
  for (; place + 32 <= count; place += 32) {
    int32x8 sum[4];
    for (int part = 0; part < 4; part++) sum[part] = (int32x8){} + (1 << (ROW_SHIFT - 1));
    for (int32_t tap = 0; tap < taps; tap++) {
      const uint8_t *row = rows[tap] + place;
      const int32_t weight = weights[tap];
      for (int part = 0; part < 4; part++) sum[part] += EIGHT(uint8x8, row + 8 * part) * weight;
    }
    for (int part = 0; part < 4; part++) {
      int16x8 eight = __builtin_convertvector(sum[part] >> ROW_SHIFT, int16x8);
      memcpy(sums + place + 8 * part, &eight, sizeof eight);
    }
  }
  for (; place < count; place++) {
    int32_t sum = 1 << (ROW_SHIFT - 1);
    for (int32_t tap = 0; tap < taps; tap++) sum += rows[tap][place] * weights[tap];
    sums[place] = (int16_t)(sum >> ROW_SHIFT);
  }
}

FOR_EACH_PROCESSOR
void creduce_rows_16(const uint16_t *const *rows, const int16_t *weights, int32_t taps, ptrdiff_t count, int32_t *sums) {
  ptrdiff_t place = 0;
  for (; place + 32 <= count; place += 32) {
    int32x8 sum[4];
    for (int part = 0; part < 4; part++) sum[part] = (int32x8){} + (1 << (CREDUCE_WEIGHT_BITS - 1));
    for (int32_t tap = 0; tap < taps; tap++) {
      const uint16_t *row = rows[tap] + place;
      const int32_t weight = weights[tap];
      for (int part = 0; part < 4; part++) sum[part] += EIGHT(uint16x8, row + 8 * part) * weight;
    }
    for (int part = 0; part < 4; part++) {
      int32x8 eight = sum[part] >> CREDUCE_WEIGHT_BITS;
      memcpy(sums + place + 8 * part, &eight, sizeof eight);
    }
  }
  for (; place < count; place++) {
    int32_t sum = 1 << (CREDUCE_WEIGHT_BITS - 1);
    for (int32_t tap = 0; tap < taps; tap++) sum += rows[tap][place] * weights[tap];
    sums[place] = sum >> CREDUCE_WEIGHT_BITS;
  }
}

// MARK: Pixels

INLINE int32_t clipped(int32_t value, int32_t most) { return value < 0 ? 0 : value > most ? most : value; }

// Multiplies samples by weights and sums adjacent products (`pmaddwd`).
INLINE int32x4 pair_sums(int16x8 numbers, int16x8 weights) {
#if defined(__x86_64__)
  return (int32x4)_mm_madd_epi16((__m128i)numbers, (__m128i)weights);
#else
  int32x8 products = __builtin_convertvector(numbers, int32x8) * __builtin_convertvector(weights, int32x8);
  return __builtin_shufflevector(products, products, 0, 2, 4, 6) + __builtin_shufflevector(products, products, 1, 3, 5, 7);
#endif
}

// Reads two pixels at a time and shuffles each band's samples next to each other for pair_sums.
INLINE void pixels_8(const int16_t *sums, int32_t bands, struct creduce_line line, uint8_t *pixels) {
  for (int32_t index = 0; index < line.count; index++) {
    const int16_t *numbers = sums + (ptrdiff_t)line.starts[index] * bands;
    const int16_t *weights = line.weights + (ptrdiff_t)index * line.taps;
    int32x4 sum = (int32x4){} + (1 << (PIXEL_SHIFT - 1));
    for (int32_t tap = 0; tap < line.taps; tap += 2) {
      int16x8 two;
      int32_t pair;
      memcpy(&two, numbers, sizeof two);
      memcpy(&pair, weights + tap, sizeof pair);
      if (bands == 4) two = __builtin_shufflevector(two, two, 0, 4, 1, 5, 2, 6, 3, 7);
      if (bands == 3) two = __builtin_shufflevector(two, two, 0, 3, 1, 4, 2, 5, 6, 7);
      if (bands == 2) two = __builtin_shufflevector(two, two, 0, 2, 1, 3, 4, 5, 6, 7);
      sum += pair_sums(two, (int16x8)((int32x4){} + pair));
      numbers += 2 * bands;
    }
    for (int32_t band = 0; band < bands; band++) *pixels++ = (uint8_t)clipped(sum[band] >> PIXEL_SHIFT, 255);
  }
}

FOR_EACH_PROCESSOR
void creduce_pixels_8(const int16_t *sums, int32_t bands, struct creduce_line line, uint8_t *pixels) {
  switch (bands) {
  case 1: pixels_8(sums, 1, line, pixels); break;
  case 2: pixels_8(sums, 2, line, pixels); break;
  case 3: pixels_8(sums, 3, line, pixels); break;
  default: pixels_8(sums, 4, line, pixels);
  }
}

// Sums four lanes, one for each band. Lanes beyond the last band hold samples of the next pixel and are ignored.
INLINE int32x4 pixel_16(const int32_t *sums, int32_t bands, struct creduce_line line, int32_t index) {
  const int32_t *numbers = sums + (ptrdiff_t)line.starts[index] * bands;
  const int16_t *weights = line.weights + (ptrdiff_t)index * line.taps;
  int32x4 sum = (int32x4){} + (1 << (CREDUCE_WEIGHT_BITS - 1));
  for (int32_t tap = 0; tap < line.taps; tap++) {
    int32x4 four;
    memcpy(&four, numbers, sizeof four);
    sum += four * (int32_t)weights[tap];
    numbers += bands;
  }
  return sum >> CREDUCE_WEIGHT_BITS;
}

INLINE void pixels_16(const int32_t *sums, int32_t bands, struct creduce_line line, uint16_t *pixels) {
  for (int32_t index = 0; index < line.count; index++) {
    int32x4 sum = pixel_16(sums, bands, line, index);
    for (int32_t band = 0; band < bands; band++) *pixels++ = (uint16_t)clipped(sum[band], 65535);
  }
}

FOR_EACH_PROCESSOR
void creduce_pixels_16(const int32_t *sums, int32_t bands, struct creduce_line line, uint16_t *pixels) {
  switch (bands) {
  case 1: pixels_16(sums, 1, line, pixels); break;
  case 2: pixels_16(sums, 2, line, pixels); break;
  case 3: pixels_16(sums, 3, line, pixels); break;
  default: pixels_16(sums, 4, line, pixels);
  }
}

// MARK: Alpha

INLINE void premultiply(const uint8_t *pixels, int32_t bands, ptrdiff_t count, uint16_t *products) {
  for (ptrdiff_t pixel = 0; pixel < count; pixel++) {
    const uint16_t alpha = pixels[bands - 1];
    for (int32_t band = 0; band < bands - 1; band++) products[band] = (uint16_t)(pixels[band] * alpha);
    products[bands - 1] = (uint16_t)(alpha * 255);
    pixels += bands;
    products += bands;
  }
}

FOR_EACH_PROCESSOR
void creduce_premultiply(const uint8_t *pixels, int32_t bands, ptrdiff_t count, uint16_t *products) {
  if (bands == 2) premultiply(pixels, 2, count, products);
  else premultiply(pixels, 4, count, products);
}

// Kernels with negative weights overshoot, so alpha may exceed 255. Divide the colors by it before clipping it.
INLINE void pixels_alpha(const int32_t *sums, int32_t bands, struct creduce_line line, uint8_t *pixels) {
  for (int32_t index = 0; index < line.count; index++) {
    int32x4 sum = pixel_16(sums, bands, line, index);
    const int32_t alpha = sum[bands - 1];
    const float factor = alpha > 0 ? 255.0f / (float)alpha : 0;
    for (int32_t band = 0; band < bands - 1; band++) {
      *pixels++ = (uint8_t)clipped((int32_t)((float)sum[band] * factor + 0.5f), 255);
    }
    *pixels++ = (uint8_t)((clipped(alpha, 65025) + 127) / 255);
  }
}

FOR_EACH_PROCESSOR
void creduce_pixels_alpha(const int32_t *sums, int32_t bands, struct creduce_line line, uint8_t *pixels) {
  if (bands == 2) pixels_alpha(sums, 2, line, pixels);
  else pixels_alpha(sums, 4, line, pixels);
}
