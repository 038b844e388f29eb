import Foundation

/// A headless Chromium, driven over its debugging pipe (one JSON message, ended by a zero byte, each way).
final class Browser {
    /// Debian's and other usual names.
    static let path: String? = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// A browser keeps its own time: on a busy machine what it stores is late. So these tests run where asked for.
    static let isAskedFor = ProcessInfo.processInfo.environment["NIGHTFUSE_BROWSER_TESTS"] == "1"

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let profile: String
    private var buffer = Data()
    private var lastID = 0
    private var session = ""
    /// What the page said on its console, and errors it threw.
    private(set) var complaints: [String] = []

    /// Whether the page that was navigated to last has loaded.
    private var isLoaded = false

    struct Failure: Error { let reason: String }

    init() throws {
        guard let path = Browser.path else { throw Failure(reason: "no browser") }
        profile = NSTemporaryDirectory() + "nightfuse-browser-" + UUID().uuidString
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The browser reads at 3 and writes at 4; a shell can hand those over, Process cannot.
        let flags = "--headless --no-sandbox --disable-gpu --remote-debugging-pipe --user-data-dir='\(profile)'"
        process.arguments = ["-c", "exec '\(path)' \(flags) about:blank 3<&0 4>&1 </dev/null >/dev/null 2>&1"]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let target = try call("Target.createTarget", ["url": "about:blank"])
        let attached = try call(
            "Target.attachToTarget", ["targetId": target["targetId"] ?? "", "flatten": true])
        session = attached["sessionId"] as? String ?? ""
        for domain in ["Page", "Runtime", "Log"] { try call(domain + ".enable") }
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
        // Left behind, it would only cost space.
        try? FileManager.default.removeItem(atPath: profile)
    }

    func open(_ file: String) throws {
        complaints = []
        isLoaded = false
        try call("Page.navigate", ["url": URL(fileURLWithPath: file).absoluteString])
        while !isLoaded { note(try read()) }
    }

    /// What the system wants: "light" or "dark", more contrast or not, less motion ("reduce") or not.
    func emulate(_ scheme: String, contrast: String = "no-preference", motion: String = "no-preference") throws {
        try call(
            "Emulation.setEmulatedMedia",
            [
                "features": [
                    ["name": "prefers-color-scheme", "value": scheme], ["name": "prefers-contrast", "value": contrast],
                    ["name": "prefers-reduced-motion", "value": motion],
                ]
            ])
    }

    func setScripts(enabled: Bool) throws {
        try call("Emulation.setScriptExecutionDisabled", ["value": !enabled])
    }

    /// A key pressed and let go, as a person does.
    func press(_ key: String, code: Int) throws {
        for type in ["keyDown", "keyUp"] {
            try call(
                "Input.dispatchKeyEvent",
                ["type": type, "key": key, "code": key, "windowsVirtualKeyCode": code, "nativeVirtualKeyCode": code])
        }
    }

    func click(x: Double, y: Double) throws {
        for type in ["mousePressed", "mouseReleased"] {
            try call(
                "Input.dispatchMouseEvent", ["type": type, "x": x, "y": y, "button": "left", "clickCount": 1])
        }
    }

    /// A finger put down at one place and moved to another.
    func drag(fromX: Double, toX: Double, y: Double) throws {
        let steps: [(String, [[String: Double]])] = [
            ("touchStart", [["x": fromX, "y": y]]), ("touchMove", [["x": (fromX + toX) / 2, "y": y]]),
            ("touchMove", [["x": toX, "y": y]]), ("touchEnd", []),
        ]
        for (type, points) in steps {
            try call("Input.dispatchTouchEvent", ["type": type, "touchPoints": points])
        }
    }

    /// The value of a script's expression.
    @discardableResult
    func evaluate(_ script: String) throws -> Any? {
        let result = try call("Runtime.evaluate", ["expression": script, "returnByValue": true])
        if let thrown = result["exceptionDetails"] { throw Failure(reason: "\(thrown)") }
        return (result["result"] as? [String: Any])?["value"]
    }

    @discardableResult
    private func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        lastID += 1
        var message: [String: Any] = ["id": lastID, "method": method, "params": parameters]
        if !session.isEmpty { message["sessionId"] = session }
        try input.fileHandleForWriting.write(contentsOf: JSONSerialization.data(withJSONObject: message) + [0])
        while true {
            let answer = try read()
            note(answer)
            guard answer["id"] as? Int == lastID else { continue }
            if let error = answer["error"] { throw Failure(reason: "\(method): \(error)") }
            return answer["result"] as? [String: Any] ?? [:]
        }
    }

    private func read() throws -> [String: Any] {
        while true {
            if let end = buffer.firstIndex(of: 0) {
                let message = buffer[buffer.startIndex..<end]
                buffer = Data(buffer[(end + 1)...])
                return try JSONSerialization.jsonObject(with: message) as? [String: Any] ?? [:]
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failure(reason: "the browser has gone") }
            buffer += more
        }
    }

    private func note(_ message: [String: Any]) {
        switch message["method"] as? String {
        case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
            complaints.append("\(message["params"] ?? "")")
        case "Page.loadEventFired": isLoaded = true
        default: break
        }
    }
}
