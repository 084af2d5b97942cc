// Loads libcurl on the first call of one of its functions.
//
// libcurl depends on thirty other libraries, of TLS, Kerberos and LDAP among others. Loading them takes 4 ms, in each worker too,
// which never uses them, and in each command that reads no URL.
#include "CCurlLibrary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

// The ABI number, unchanged since libcurl 7.16.
static const char *const file_name = "libcurl.so.4";

// FUNCTION(result, name, parameters, arguments), sorted by name. A missing one is an undefined symbol at link time.
#define FUNCTIONS \
  FUNCTION(void, curl_easy_cleanup, (CURL *handle), (handle)) \
  FUNCTION(CURL *, curl_easy_init, (void), ()) \
  FUNCTION(CURLcode, curl_easy_pause, (CURL *handle, int bitmask), (handle, bitmask)) \
  FUNCTION(void, curl_easy_reset, (CURL *handle), (handle)) \
  FUNCTION(const char *, curl_easy_strerror, (CURLcode code), (code)) \
  FUNCTION(CURLcode, curl_global_init, (long flags), (flags)) \
  FUNCTION(CURLMcode, curl_multi_add_handle, (CURLM *multi, CURL *handle), (multi, handle)) \
  FUNCTION(CURLMcode, curl_multi_cleanup, (CURLM *multi), (multi)) \
  FUNCTION(CURLMsg *, curl_multi_info_read, (CURLM *multi, int *count), (multi, count)) \
  FUNCTION(CURLM *, curl_multi_init, (void), ()) \
  FUNCTION(CURLMcode, curl_multi_perform, (CURLM *multi, int *running), (multi, running)) \
  FUNCTION(CURLMcode, curl_multi_poll, (CURLM *multi, struct curl_waitfd extra[], unsigned int count, int timeout, int *ready), (multi, extra, count, timeout, ready)) \
  FUNCTION(CURLMcode, curl_multi_remove_handle, (CURLM *multi, CURL *handle), (multi, handle)) \
  FUNCTION(CURLMcode, curl_multi_wakeup, (CURLM *multi), (multi)) \
  FUNCTION(struct curl_slist *, curl_slist_append, (struct curl_slist *list, const char *text), (list, text)) \
  FUNCTION(void, curl_slist_free_all, (struct curl_slist *list), (list)) \
  FUNCTION(curl_version_info_data *, curl_version_info, (CURLversion version), (version))

// VARIADIC(result, name, parameters)
#define VARIADIC_FUNCTIONS \
  VARIADIC(CURLcode, curl_easy_getinfo, (CURL *handle, CURLINFO info, ...)) \
  VARIADIC(CURLcode, curl_easy_setopt, (CURL *handle, CURLoption option, ...)) \
  VARIADIC(CURLMcode, curl_multi_setopt, (CURLM *multi, CURLMoption option, ...))

#define FUNCTION(result, name, parameters, arguments) static result(*name##_pointer) parameters;
#define VARIADIC(result, name, parameters) static result(*name##_pointer) parameters;
FUNCTIONS
VARIADIC_FUNCTIONS
#undef FUNCTION
#undef VARIADIC

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[512];

static void load(void) {
  void *library = dlopen(file_name, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    snprintf(failure, sizeof failure, "%s", dlerror());
    return;
  }
#define VARIADIC(result, name, parameters)                                     \
  *(void **)&name##_pointer = dlsym(library, #name);                           \
  if (!name##_pointer) {                                                       \
    snprintf(failure, sizeof failure, "%s has no function " #name, file_name); \
    return;                                                                    \
  }
#define FUNCTION(result, name, parameters, arguments) VARIADIC(result, name, parameters)
  FUNCTIONS
  VARIADIC_FUNCTIONS
#undef FUNCTION
#undef VARIADIC
}

const char *ccurl_library_load(void) {
  pthread_once(&once, load);
  return failure[0] ? failure : NULL;
}

static void require(void) {
  const char *reason = ccurl_library_load();
  if (!reason) return;
  fprintf(stderr, "libcurl can't be loaded: %s\n", reason);
  abort();
}

#define FUNCTION(result, name, parameters, arguments) \
  result name parameters {                            \
    require();                                        \
    return name##_pointer arguments;                  \
  }
FUNCTIONS
#undef FUNCTION

CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
  require();
  return curl_easy_setopt_pointer(handle, option, value);
}

CURLcode ccurl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  require();
  return curl_easy_setopt_pointer(handle, option, value);
}

CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
  require();
  return curl_easy_setopt_pointer(handle, option, value);
}

CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
  require();
  return curl_easy_setopt_pointer(handle, option, value);
}

CURLcode ccurl_set_data_function(CURL *handle, CURLoption option, ccurl_data_function value) {
  require();
  return curl_easy_setopt_pointer(handle, option, value);
}

CURLcode ccurl_set_open_socket(CURL *handle, curl_opensocket_callback value) {
  require();
  return curl_easy_setopt_pointer(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}

CURLcode ccurl_set_seek(CURL *handle, curl_seek_callback value) {
  require();
  return curl_easy_setopt_pointer(handle, CURLOPT_SEEKFUNCTION, value);
}

CURLcode ccurl_set_prerequest(CURL *handle, curl_prereq_callback value) {
  require();
  return curl_easy_setopt_pointer(handle, CURLOPT_PREREQFUNCTION, value);
}

CURLcode ccurl_set_debug(CURL *handle, curl_debug_callback value) {
  require();
  return curl_easy_setopt_pointer(handle, CURLOPT_DEBUGFUNCTION, value);
}

CURLcode ccurl_get_socket(CURL *handle, curl_socket_t *value) {
  require();
  return curl_easy_getinfo_pointer(handle, CURLINFO_ACTIVESOCKET, value);
}

CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) {
  require();
  return curl_easy_getinfo_pointer(handle, info, value);
}

CURLcode ccurl_get_text(CURL *handle, CURLINFO info, const char **value) {
  require();
  return curl_easy_getinfo_pointer(handle, info, (char **)value);
}

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  require();
  return curl_multi_setopt_pointer(multi, option, value);
}

const curl_version_info_data *ccurl_version_info(void) { return curl_version_info(CURLVERSION_NOW); }
