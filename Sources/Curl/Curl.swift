import CCurl
public func y() -> OpaquePointer? { nil }
