#pragma once
#include <curl/curl.h>

// Loads libcurl if it isn't loaded. Returns NULL, or the reason why loading failed. Thread-safe.
//
// This module also defines the functions of <curl/curl.h> that this package calls. Each loads the library first and
// aborts the process if that fails.
const char *ccurl_library_load(void);

typedef size_t (*ccurl_data_function)(char *bytes, size_t size, size_t count, void *context);

// libcurl's variadic functions: one for each type of argument that they take.
CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value);
CURLcode ccurl_set_offset(CURL *handle, CURLoption option, curl_off_t value);
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode ccurl_set_data_function(CURL *handle, CURLoption option, ccurl_data_function value);
CURLcode ccurl_set_open_socket(CURL *handle, curl_opensocket_callback value);
CURLcode ccurl_set_seek(CURL *handle, curl_seek_callback value);
CURLcode ccurl_set_prerequest(CURL *handle, curl_prereq_callback value);
CURLcode ccurl_set_debug(CURL *handle, curl_debug_callback value);
CURLcode ccurl_get_socket(CURL *handle, curl_socket_t *value);
CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value);
CURLcode ccurl_get_text(CURL *handle, CURLINFO info, const char **value);
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);

// CURLVERSION_NOW is a macro.
const curl_version_info_data *ccurl_version_info(void);
