internal import NightScene
internal import NightfuseCore
import Foundation
let w = Int(CommandLine.arguments[1])!
let t0 = Date()
let p = try Painting(view: View(width: w, height: w*3/4), seed: 7, workers: Workers(threads: 2))
let (a,b,d) = p.debugRGB()
print(Date().timeIntervalSince(t0), a, b)
var data = "P6 \(a) \(b) 255\n".data(using: .ascii)!
data.append(contentsOf: d)
try data.write(to: URL(fileURLWithPath: "/work/tmp/samples/paint.ppm"))
