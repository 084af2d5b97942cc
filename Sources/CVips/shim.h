// What Swift can't import from libvips and GLib: types that are macros, and casts to function pointers.
#pragma once
#include <link.h>
#include <malloc.h>
#include <vips/vips.h>

// glibc declares these with _GNU_SOURCE only, and that would give types like fd_set other members here than in Swift's
// own module of glibc, which the compiler refuses.
#ifndef __USE_GNU
struct dl_phdr_info {
  ElfW(Addr) dlpi_addr;
  const char *dlpi_name;
  const ElfW(Phdr) *dlpi_phdr;
  ElfW(Half) dlpi_phnum;
};
extern int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *context);
#endif

static inline GType cvips_type_boolean(void) { return G_TYPE_BOOLEAN; }
static inline GType cvips_type_int(void) { return G_TYPE_INT; }
static inline GType cvips_type_double(void) { return G_TYPE_DOUBLE; }
static inline GType cvips_type_string(void) { return G_TYPE_STRING; }
static inline GType cvips_type_enum(void) { return G_TYPE_ENUM; }
static inline GType cvips_type_flags(void) { return G_TYPE_FLAGS; }

// Bounds how many arenas glibc's allocator makes.
static inline void cvips_limit_malloc_arenas(int arenas) { mallopt(M_ARENA_MAX, arenas); }
static inline void cvips_trim_malloc(void) { malloc_trim(0); }

// Tells of every note segment (elf(5)) of the libraries loaded in this process.
typedef void (*cvips_note_body)(const char *library, const void *notes, size_t size, void *context);

struct cvips_note_call {
  cvips_note_body body;
  void *context;
};

static int cvips_note_visit(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct cvips_note_call *call = (struct cvips_note_call *)data;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_NOTE) continue;
    call->body(
        info->dlpi_name, (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr), info->dlpi_phdr[i].p_memsz,
        call->context);
  }
  return 0;
}

static inline void cvips_each_note(cvips_note_body body, void *context) {
  struct cvips_note_call call = {body, context};
  dl_iterate_phdr(cvips_note_visit, &call);
}
