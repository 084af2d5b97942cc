// The types and constants of libcurl. CCurlLibrary has the functions.
#pragma once
#include <curl/curl.h>
