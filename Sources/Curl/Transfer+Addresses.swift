import CCurl
import CCurlLibrary
import Glibc
import WebValues

/// Checking the addresses that libcurl connects to.
extension Transfer {
  /// Checks the address that libcurl connects to. A check of the host's name alone would miss what it
  /// resolves to.
  static let openSocketFunction: curl_opensocket_callback = { context, _, address in
    guard let transfer = from(context), let address else { return -1 }
    let family = address.pointee.family
    let isAllowed: Bool = withUnsafePointer(to: &address.pointee.addr) { pointer in
      let ip = IPAddress(UnsafeRawPointer(pointer), family: family, length: Int(address.pointee.addrlen))
      return transfer.allows(ip)
    }
    guard isAllowed else { return -1 }
    return socket(
      family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
  }

  /// Checks the address again before each request, because a reused connection opens no socket.
  static let prerequestFunction: curl_prereq_callback = {
    context, address, localAddress, _, localPort in
    guard let transfer = from(context), let address else { return Int32(CURL_PREREQFUNC_ABORT) }
    let isAllowed = transfer.allows(IPAddress(String(cString: address)))
    if isAllowed {
      transfer.requestCount += 1
      transfer.noteActivity()
    }
    transfer.localEnd = localAddress.map { "\(String(cString: $0)) \(localPort)" }
    return isAllowed ? Int32(CURL_PREREQFUNC_OK) : Int32(CURL_PREREQFUNC_ABORT)
  }

  private func allows(_ address: IPAddress?) -> Bool {
    guard options.proxy == nil else { return true }
    // Refuse address families that the policy can't check.
    guard let address else { return false }
    guard options.allowsAddress(address) else {
      refusedAddress = address
      return false
    }
    return true
  }
}
