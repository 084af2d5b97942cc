import CVips
public func x() -> Int32 { vips_init("imagemill") }
