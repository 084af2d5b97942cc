import CCurl
import CCurlLibrary

/// Sets options on an easy handle and records the first failure, so that the caller checks only once.
struct OptionSetter {
  let easy: UnsafeMutableRawPointer
  var code = CURLE_OK

  init(easy: UnsafeMutableRawPointer) {
    self.easy = easy
  }

  mutating func long(_ option: CURLoption, _ value: Int) {
    note(ccurl_set_long(easy, option, value))
  }

  mutating func offset(_ option: CURLoption, _ value: Int) {
    note(ccurl_set_offset(easy, option, curl_off_t(value)))
  }

  /// Sets a string option. libcurl copies the text.
  mutating func text(_ option: CURLoption, _ value: String) {
    note(ccurl_set_text(easy, option, value))
  }

  /// Sets a pointer option. libcurl keeps the pointer, which must stay valid until the handle is freed.
  mutating func pointer(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
    note(ccurl_set_pointer(easy, option, value))
  }

  mutating func dataFunction(_ option: CURLoption, _ value: @escaping ccurl_data_function) {
    note(ccurl_set_data_function(easy, option, value))
  }

  mutating func openSocket(_ value: @escaping curl_opensocket_callback) {
    note(ccurl_set_open_socket(easy, value))
  }

  mutating func seek(_ value: @escaping curl_seek_callback) {
    note(ccurl_set_seek(easy, value))
  }

  mutating func prerequest(_ value: @escaping curl_prereq_callback) {
    note(ccurl_set_prerequest(easy, value))
  }

  mutating func debug(_ value: @escaping curl_debug_callback) {
    note(ccurl_set_debug(easy, value))
  }

  private mutating func note(_ result: CURLcode) {
    if code == CURLE_OK { code = result }
  }
}
