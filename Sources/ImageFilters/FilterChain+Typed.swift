public import Vips

extension FilterChain {
  /// Combines filters: typed ones, chains, AlamofireImage's types, and a program's own.
  ///
  ///     let chain = FilterChain(.limit(width: 800), Grain(amount: 0.2), .sharpen())
  ///
  /// Own filters run in this process only; a chain that has one can't be decoded from its identifier.
  /// - Parameter filters: The filters, in the order of application. If one is invalid, ``check()`` and
  ///   applying throw.
  public init(_ filters: any ImageFilter...) { self.init(combining: filters) }

  /// Combines filters. See ``init(_:)``.
  /// - Parameter filters: The filters, in the order of application. If one is invalid, ``check()`` and
  ///   applying throw.
  public init(combining filters: [any ImageFilter]) {
    do throws(FilterError) {
      try self.init(steps: try Self.steps(of: filters))
    } catch {
      self.init(problem: error)
    }
  }

  private static func steps(of filters: [any ImageFilter]) throws(FilterError) -> [FilterStep] {
    var steps: [FilterStep] = []
    for filter in filters {
      switch filter {
      case let filter as any ChainedImageFilter:
        let chain = filter.chain
        try chain.check()
        steps += chain.steps
      case let chain as FilterChain:
        try chain.check()
        steps += chain.steps
      case let composite as any CompositeImageFilter: steps += try self.steps(of: composite.filters)
      default: steps.append(FilterStep(custom: filter))
      }
      try ChainLimits.check(steps: steps.count)
    }
    return steps
  }

  /// Creates a chain from a filter's name and typed arguments; nil leaves an argument out.
  init(typed name: String, _ arguments: [(key: String, value: ParameterValue?)] = []) {
    do throws(FilterError) {
      // Convert the values to text, so that the grammar's ranges and normal forms apply.
      try self.init(
        name: name,
        arguments: arguments.compactMap { argument in argument.value.map { (argument.key, $0.text) } })
    } catch {
      self.init(problem: error)
    }
  }

  /// Throws the error of an invalid argument, without an image.
  /// - Throws: `FilterError` with the code of the mistake, such as `bad-argument`: the same that applying the
  ///   chain throws.
  public func check() throws(FilterError) {
    if let problem { throw problem }
  }

  /// Whether a program's own filters are in the chain. Only this process can apply it then.
  public var hasOwnFilters: Bool { steps.contains { $0.custom != nil } }
}

extension FilterChain: ExpressibleByStringLiteral {
  /// Parses a chain in the grammar of imagemill-filters(7).
  /// - Parameter text: The chain's text. If it is invalid, ``check()`` and applying the chain throw.
  public init(stringLiteral text: String) {
    do throws(FilterError) {
      try self.init(parsing: text)
    } catch {
      self.init(problem: error)
    }
  }
}

extension ParameterValue {
  /// The value as an unescaped argument.
  var text: String { if case .text(let text) = self { text } else { identifier } }

  static func duration(_ duration: Duration) -> ParameterValue {
    .text("\(Number.text(duration / .milliseconds(1)))ms")
  }
}

extension VipsImage {
  /// Applies filters in order.
  ///
  ///     let avatar = try photograph.filtered(.fill(width: 96, height: 96), .circle)
  /// - Parameter filters: The filters. Overlays, masks and transitions fail, because there are no other
  ///   images.
  /// - Returns: An sRGB image of 8 or 16 bits per channel, with 3 bands, or 4 with alpha.
  /// - Throws: `FilterError` of the first filter that fails, or of an argument that is out of range.
  public func filtered(_ filters: any ImageFilter...) throws(FilterError) -> VipsImage {
    try FilterChain(combining: filters).apply(to: self)
  }

  /// The size of one frame in pixels: the width and the page height.
  public var size: Size { Size(width: width, height: pageHeight) }
}
