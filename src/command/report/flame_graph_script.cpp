// Plain JavaScript without a library, for viewers that are years old.
#include "report/flame_graph_script.h"

namespace transformeter {

std::string_view flame_graph_script() {
  return R"svg(<script><![CDATA[
(function () {
  var LEFT = 10, WIDTH = 1180, LETTER = 7;
  var frames = Array.prototype.slice.call(document.querySelectorAll(".f"));
  var about = document.getElementById("about"), reset = document.getElementById("reset");
  var initial = about.textContent;
  function share(frame, name) { return parseFloat(frame.getAttribute(name)); }
  function fit(frame, width) {
    var name = frame.getAttribute("data-n"), letters = Math.floor((width - 6) / LETTER);
    if (letters < 3) return "";
    while (frame.getAttribute("data-k") === "m" && name.length > letters && name.indexOf(".") >= 0) {
      name = name.slice(name.indexOf(".") + 1);
    }
    return name.length <= letters ? name : name.slice(0, letters - 1) + "\u2026";
  }
  function show(left, width) {
    frames.forEach(function (frame) {
      var begin = Math.max(share(frame, "data-l"), left);
      var end = Math.min(share(frame, "data-l") + share(frame, "data-w"), left + width);
      var wide = (end - begin) / width * WIDTH;
      frame.setAttribute("display", wide > 0.01 ? "inline" : "none");
      if (wide <= 0.01) return;
      var x = LEFT + (begin - left) / width * WIDTH;
      var box = frame.querySelector("rect"), label = frame.querySelector("text");
      box.setAttribute("x", x);
      box.setAttribute("width", wide);
      label.setAttribute("x", x + 3);
      label.textContent = fit(frame, wide);
    });
    reset.setAttribute("visibility", width < 1 ? "visible" : "hidden");
  }
  frames.forEach(function (frame) {
    frame.addEventListener("click", function () { show(share(frame, "data-l"), share(frame, "data-w")); });
    frame.addEventListener("mouseover", function () { about.textContent = frame.querySelector("title").textContent; });
    frame.addEventListener("mouseout", function () { about.textContent = initial; });
  });
  reset.addEventListener("click", function () { show(0, 1); });
})();
]]></script>
)svg";
}

}  // namespace transformeter
