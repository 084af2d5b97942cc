import Curl
import Foundation
import Glibc
import ImageBatch
import ImageCaches
import SystemIO
import Vips
import ImageRendering

extension Diagnosis {
  /// Examines the installation; changes nothing.
  init(cacheDir: String?, cacheSize: Int?) {
    let variables = ProcessInfo.processInfo.environment
    var findings: [Finding] = []
    imagemill = Version.number
    system = Self.system()
    libvips = Self.pixels(&findings)
    libcurl = Self.transfers(variables, &findings)
    formats = Self.formats(&findings)
    processors = Processors(
      online: Machine.onlineProcessors, quota: Machine.processorQuota,
      slots: Machine.availableProcessors)
    memory = Memory(
      installed: Machine.installedMemory, limit: Machine.memoryLimit, rendering: Machine.memory / 2)
    openFiles = OpenFileLimit.current.map { DescriptorLimit(now: $0.soft, most: $0.hard) }
    if let openFiles, openFiles.most < 256 {
      findings.append(
        Finding(
          isBroken: openFiles.most < ProcessLimits.leastOpenFiles,
          problem: "the limit for open files is only \(openFiles.most)",
          remedy: "raise the hard limit ('ulimit -Hn'), or lower --jobs and --downloads"))
    }
    sandbox = Self.sandbox(
      hasFilter: WorkerSandbox.hasFilter, filesVersion: WorkerSandbox.filesVersion, &findings)
    cache = Self.cache(
      cacheDir ?? DiskStore.defaultDirectory(environment: variables), capacity: cacheSize, &findings)
    temporary = Self.temporary(&findings)
    environment = Self.environment(variables)
    findings += Self.wrongSettings(Invocation.current.layers)
    self.findings = findings
  }

  static func sandbox(hasFilter: Bool, filesVersion: Int, _ findings: inout [Finding]) -> String {
    if !hasFilter {
      findings.append(
        Finding(
          isBroken: false,
          problem: "decoders can open sockets and start programs: the kernel has no filters of system calls",
          remedy: "use a kernel with seccomp (CONFIG_SECCOMP_FILTER), or a container that allows it"))
    }
    if filesVersion == 0 {
      findings.append(
        Finding(
          isBroken: false,
          problem: "decoders can read and write the user's files: the kernel has no rules for files",
          remedy:
            "use Linux 5.13 or newer with Landlock (CONFIG_SECURITY_LANDLOCK, lsm=landlock), or a container "
            + "that allows it"))
    }
    return (hasFilter ? "filter of system calls (seccomp)" : "no filter of system calls") + ", "
      + (filesVersion > 0 ? "rules for files (Landlock \(filesVersion))" : "no rules for files")
  }

  private static func system() -> System {
    var name = utsname()
    uname(&name)
    func text<Field>(_ field: Field) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    // Not every system has this file; the kernel's name comes from uname(2).
    let release = FileManager.default.contents(atPath: "/etc/os-release") ?? Data()
    let line = String(decoding: release, as: UTF8.self).split(separator: "\n").first {
      $0.hasPrefix("PRETTY_NAME=")
    }
    let pretty = line.map { $0.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" } }
    return System(
      name: pretty.map { String($0) } ?? "unknown", kernel: "\(text(name.sysname)) \(text(name.release))",
      architecture: text(name.machine))
  }

  private static func pixels(_ findings: inout [Finding]) -> Pixels {
    do {
      try VipsRuntime.start()
    } catch {
      findings.append(
        Finding(
          isBroken: true, problem: "libvips can't be started: \(error)",
          remedy: "reinstall libvips, 8.14 or later ('apt install --reinstall libvips42')"))
    }
    let libraries = mappedFiles().filter { file in
      file.contains(".so") && LoadedLibraries.pixelLibraries.contains { file.hasPrefix($0) }
    }
    return Pixels(version: VipsRuntime.version, libraries: libraries.sorted())
  }

  /// The names of the mapped files, including modules. They have the full versions, which sonames lack.
  private static func mappedFiles() -> Set<String> {
    guard let stream = fopen("/proc/self/maps", "re") else { return [] }
    defer { fclose(stream) }
    var names: Set<String> = []
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, stream) > 0, let text = line {
      if let name = String(cString: text).split(separator: "/").last { names.insert(String(name.dropLast())) }
    }
    return names
  }

  private static func transfers(_ variables: [String: String], _ findings: inout [Finding]) -> Transfers {
    guard let library = CurlLibrary.installed else {
      findings.append(
        Finding(
          isBroken: true, problem: "libcurl doesn't report its version",
          remedy: "reinstall libcurl, 7.88 or later ('apt install --reinstall libcurl4')"))
      return Transfers(version: "unknown", http2: false, encodings: [], protocols: [], certificates: [])
    }
    let certificates = [library.certificateFile, library.certificateDirectory].compactMap { $0 }
    if library.tls == nil {
      findings.append(
        Finding(
          isBroken: true, problem: "libcurl was built without TLS: https sources can't be downloaded",
          remedy: "install a libcurl with TLS, such as Debian's libcurl4"))
    } else if variables["SSL_CERT_FILE"] == nil, let lack = lackOfCertificates(in: certificates) {
      findings.append(
        Finding(
          isBroken: true, problem: "\(lack): https fails",
          remedy: "install them ('apt install ca-certificates'), or name a file with --cacert"))
    }
    if !library.hasHTTP2 {
      findings.append(
        Finding(
          isBroken: false, problem: "libcurl was built without HTTP/2: downloads need more connections",
          remedy: "install a libcurl with nghttp2, such as Debian's libcurl4"))
    }
    return Transfers(
      version: library.version, tls: library.tls, http2: library.hasHTTP2, encodings: library.encodings,
      protocols: library.protocols, certificates: certificates)
  }

  /// Why there are no certificate authorities in these files and directories; nil if one of them isn't empty.
  static func lackOfCertificates(in paths: [String]) -> String? {
    var unreadable: [String] = []
    for path in paths {
      var status = stat()
      guard stat(path, &status) == 0 else { continue }
      guard status.st_mode & S_IFMT == S_IFDIR else {
        if status.st_size > 0 { return nil }
        continue
      }
      do throws(SystemError) {
        if try Directory.entries(of: path).contains(where: { $0.bytes.first != UInt8(ascii: ".") }) {
          return nil
        }
      } catch {
        unreadable.append("can't read \(path): \(error.text)")
      }
    }
    let reasons = unreadable.isEmpty ? "" : " (\(unreadable.joined(separator: "; ")))"
    return "no certificate authorities in \(paths.joined(separator: " or "))\(reasons)"
  }

  private static func formats(_ findings: inout [Finding]) -> Formats {
    var missing: [String] = []
    func reads(_ name: String) -> Bool {
      guard let format = ImageFormat(rawValue: name) else { return false }
      // If libvips doesn't start, `pixels` has reported it.
      let isThere = (try? VipsRuntime.hasOperation(Loader(format).nickname)) ?? false
      if !isThere { missing.append("read \(name)") }
      return isThere
    }
    func writes(_ format: OutputFormat) -> Bool {
      let isThere = (try? FormatSupport.canWrite(format)) ?? false
      if !isThere { missing.append("write \(format.rawValue)") }
      return isThere
    }
    let read = FormatSupport.readableByDefault.filter(reads)
    let readOnRequest = FormatSupport.readableOnRequest.filter(reads)
    let written = OutputFormat.allCases.filter(writes).map(\.rawValue)
    let needed = missing.filter { ["jpeg", "png", "webp", "gif"].contains($0.split(separator: " ").last) }
    if !needed.isEmpty {
      findings.append(
        Finding(
          isBroken: true, problem: "this libvips can't \(needed.joined(separator: ", can't "))",
          remedy: "install a libvips with those codecs, such as Debian's libvips42"))
    }
    return Formats(read: read, readOnRequest: readOnRequest, written: written, missing: missing)
  }

  private static func cache(
    _ directory: String?, capacity: Int?, _ findings: inout [Finding]
  ) -> Cache? {
    guard let directory else {
      findings.append(
        Finding(
          isBroken: true, problem: "no cache directory is known",
          remedy: "set HOME, or use --cache-dir or --no-cache"))
      return nil
    }
    let health = StoreHealth(directory: directory)
    if !health.isWritable {
      let consequence = health.exists ? "nothing new is cached" : "it can't be created"
      findings.append(
        Finding(
          isBroken: !health.exists,
          problem: "the cache directory \(directory) isn't writable: \(consequence)",
          remedy: "change its owner ('chown'), or choose another with --cache-dir or IMAGEMILL_CACHE_DIR"))
    }
    var index = "sound"
    switch health.index {
    case .sound: break
    case .absent: index = "absent"
    case .broken(let reason):
      index = reason
      findings.append(
        Finding(
          isBroken: true, problem: "the cache's index is broken: \(reason)",
          remedy: "'imagemill cache verify' rebuilds it; everything in the cache can be made again"))
    }
    if let problem = health.limitProblem {
      findings.append(
        Finding(
          isBroken: false, problem: problem, remedy: "set a limit, such as 'imagemill cache limit 2GiB'"))
    }
    return Cache(
      directory: directory, exists: health.exists, writable: health.isWritable, bytes: health.bytes,
      objects: health.objects, capacity: max(capacity ?? 0, health.limit ?? 0), free: health.freeBytes,
      index: index)
  }

  private static func temporary(_ findings: inout [Finding]) -> Temporary {
    let directory = Paths.temporaryDirectory
    let isWritable = access(directory, W_OK | X_OK) == 0
    if !isWritable {
      findings.append(
        Finding(
          isBroken: true, problem: "the temporary directory \(directory) isn't writable",
          remedy: "set TMPDIR to a writable directory"))
    }
    return Temporary(
      directory: directory, writable: isWritable, free: StoreHealth.freeBytes(at: directory))
  }

  private static let variableNames = [
    "IMAGEMILL_CACHE_DIR", "XDG_CACHE_HOME", "TMPDIR", "http_proxy", "https_proxy", "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY", "no_proxy", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "CI", "GITHUB_ACTIONS", "NO_COLOR",
    "COLUMNS", "TERM", "LANG", "LC_ALL",
  ]

  private static func environment(_ variables: [String: String]) -> [String: String] {
    let shown = variables.filter { variableNames.contains($0.key) && !$0.value.isEmpty }
    return Dictionary(uniqueKeysWithValues: shown.map { ($0.key, masked($0.value, of: $0.key)) })
  }

  /// The value of a variable; for a proxy, its URL without the credentials. Other values may hold an @ of their own.
  static func masked(_ value: String, of name: String) -> String {
    guard name.lowercased().hasSuffix("_proxy"), name.lowercased() != "no_proxy",
      let at = value.lastIndex(of: "@")
    else { return value }
    let start = value.range(of: "://").map(\.upperBound) ?? value.startIndex
    guard start <= at else { return value }
    return value[..<start] + "***" + value[at...]
  }
}
