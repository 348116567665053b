# Starts a browser for an app, lets it open a page, and ends it. In Rails, keep
# the process in an object of its own and call stop from an at_exit block.
#
#     ruby start.rb SIDECAR APP_URL
require "json"
require "net/http"
require "open3"
require "securerandom"

sidecar, app_url = ARGV
token = "aabrw_#{SecureRandom.hex(20)}"

# The config is the first line on standard input. With "lifeline" that stays
# open: its end, also by the death of this program, is the end of the browser.
stdin, stdout, process = Open3.popen2(sidecar)
stdin.puts({ token: token, app_url: app_url, lifeline: true }.to_json)
stdin.flush

# The first line on standard output says that it is ready. No line: it could not
# start, and its last line on standard error says why.
line = stdout.gets or abort "the browser did not start, see above"
mcp = URI(JSON.parse(line).fetch("mcp_url"))

session = nil
post = lambda do |method, params|
  request = Net::HTTP::Post.new(mcp, "Authorization" => "Bearer #{token}", "Content-Type" => "application/json")
  request["Mcp-Session-Id"] = session if session
  request.body = { jsonrpc: "2.0", id: 1, method: method, params: params }.to_json
  answer = Net::HTTP.start(mcp.host, mcp.port) { |http| http.request(request) }
  session ||= answer["Mcp-Session-Id"]
  JSON.parse(answer.body).fetch("result")
end

post.call("initialize", protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "start.rb", version: "1" })
puts post.call("tools/call", name: "browser_navigate", arguments: { url: "/" }).dig("content", 0, "text")

# The end: close standard input, and read on, so that the browser can say its
# last words.
stdin.close
stdout.each_line { |event| puts JSON.parse(event).values_at("type", "reason").compact.join(" ") }
exit process.value.exitstatus
