import ImageCaches

extension RenderResponse: WireValue {
  func write(to writer: inout WireWriter) throws(WireError) {
    try writer.write(outputs)
    try writer.write(source)
    try writer.write(warnings)
    try writer.write(counts)
    try writer.write(renditions)
    try writer.write(inspection)
  }

  init(from reader: inout WireReader) throws(WireError) {
    outputs = try reader.read()
    source = try reader.read()
    warnings = try reader.read()
    counts = try reader.read()
    renditions = try reader.read()
    inspection = try reader.read()
  }
}

extension InspectionOutcome: WireValue {
  private static let memo = WireMemo<InspectionOutcome>(capacity: 1)

  func write(to writer: inout WireWriter) throws(WireError) { try Self.memo.write(self, to: &writer) }

  init(from reader: inout WireReader) throws(WireError) { self = try Self.memo.read(from: &reader) }
}

extension RenderedOutput: WireValue {
  /// Outputs of one source often fail with the same error.
  private static let failures = WireMemo<RenderError>()

  func write(to writer: inout WireWriter) throws(WireError) {
    try writer.write(id)
    switch result {
    case .success(let file):
      try writer.write(true)
      try writer.write(file)
    case .failure(let error):
      try writer.write(false)
      try Self.failures.write(error, to: &writer)
    }
  }

  init(from reader: inout WireReader) throws(WireError) {
    id = try reader.read()
    result =
      try reader.read(Bool.self)
      ? .success(try reader.read()) : .failure(try Self.failures.read(from: &reader))
  }
}

extension OutputFormat: WireValue {}

extension RenderedFile: WireValue {
  func write(to writer: inout WireWriter) throws(WireError) {
    try writer.write(format)
    try writer.write(width)
    try writer.write(height)
    try writer.write(frames)
    try writer.write(bytes)
    try writer.write(digest)
    try writer.write(quality)
    try writer.write(placeholders)
  }

  init(from reader: inout WireReader) throws(WireError) {
    format = try reader.read()
    width = try reader.read()
    height = try reader.read()
    frames = try reader.read()
    bytes = try reader.read()
    digest = try reader.read()
    quality = try reader.read()
    placeholders = try reader.read()
  }
}

extension Placeholders: WireValue {
  func write(to writer: inout WireWriter) throws(WireError) {
    try writer.write(dominantColor)
    try writer.write(blurHash)
    try writer.write(thumbHash)
    try writer.write(dataURI)
  }

  init(from reader: inout WireReader) throws(WireError) {
    dominantColor = try reader.read()
    blurHash = try reader.read()
    thumbHash = try reader.read()
    dataURI = try reader.read()
  }
}

extension SourceFacts: WireValue {
  func write(to writer: inout WireWriter) throws(WireError) {
    try writer.write(format)
    try writer.write(width)
    try writer.write(height)
    try writer.write(frames)
    try writer.write(orientation)
    try writer.write(hasAlpha)
    try writer.write(bands)
    try writer.write(bitsPerSample)
    try writer.write(isProgressive)
  }

  init(from reader: inout WireReader) throws(WireError) {
    format = try reader.read()
    width = try reader.read()
    height = try reader.read()
    frames = try reader.read()
    orientation = try reader.read()
    hasAlpha = try reader.read()
    bands = try reader.read()
    bitsPerSample = try reader.read()
    isProgressive = try reader.read()
  }
}

extension RenderCounts: WireValue {
  private static var fields: [WritableKeyPath<RenderCounts, Int>] {
    [\.decodes, \.filterRuns, \.encodes, \.outputs, \.renditionsReused, \.memoryHighWater]
  }

  func write(to writer: inout WireWriter) throws(WireError) {
    for field in Self.fields { try writer.write(self[keyPath: field]) }
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init()
    for field in Self.fields { self[keyPath: field] = try reader.read() }
  }
}

extension KeptRendition: WireValue {
  func write(to writer: inout WireWriter) throws(WireError) {
    try writer.write(key)
    try writer.write(path)
    try writer.write(digest)
    try writer.write(bytes)
    try writer.write(seconds)
  }

  init(from reader: inout WireReader) throws(WireError) {
    key = try reader.read()
    path = try reader.read()
    digest = try reader.read()
    bytes = try reader.read()
    seconds = try reader.read()
  }
}
