import CCurl
import CCurlLibrary
import Glibc

/// Sending the body of a request.
extension Transfer {
  func prepare(_ body: TransferBody, _ setter: inout OptionSetter) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    setter.long(CURLOPT_UPLOAD, 1)
    setter.offset(CURLOPT_INFILESIZE_LARGE, body.byteCount)
    setter.dataFunction(CURLOPT_READFUNCTION, Self.readFunction)
    setter.pointer(CURLOPT_READDATA, context)
    setter.seek(Self.seekFunction)
    setter.pointer(CURLOPT_SEEKDATA, context)
    // libcurl would wait a second for a server that doesn't know `Expect: 100-continue`. Without a value, it sends none.
    guard let list = curl_slist_append(fieldList, "Expect:") else {
      setter.code = CURLE_OUT_OF_MEMORY
      return
    }
    fieldList = list
  }

  fileprivate static let readFunction: ccurl_data_function = { bytes, size, count, context in
    guard let transfer = from(context), let bytes, let body = transfer.options.body else { return 0 }
    let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    guard let read = body.read(at: transfer.sentCount, into: buffer) else {
      transfer.stop(.bodyUnreadable)
      return Int(CURL_READFUNC_ABORT)
    }
    transfer.sentCount += read
    transfer.noteActivity()
    return read
  }

  fileprivate static let seekFunction: curl_seek_callback = { context, offset, origin in
    guard let transfer = from(context), origin == SEEK_SET else { return CURL_SEEKFUNC_CANTSEEK }
    transfer.sentCount = Int(offset)
    return CURL_SEEKFUNC_OK
  }
}
