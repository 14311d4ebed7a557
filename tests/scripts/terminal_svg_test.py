"""scripts/terminal_svg on small screens."""
import pathlib
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/terminal_svg"
NAMESPACE = "{http://www.w3.org/2000/svg}"


class TerminalSvg(unittest.TestCase):
    def draw(self, screen, *options):
        return subprocess.run([sys.executable, SCRIPT, *options], input=screen, capture_output=True, text=True, check=False)

    def texts(self, screen, *options):
        result = self.draw(screen, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        root = ElementTree.fromstring(result.stdout)
        return [(text.text, float(text.get("x")), int(float(text.get("y"))), text.get("fill"))
                for text in root.iter(NAMESPACE + "text")]

    def test_text_keeps_its_columns_and_rows(self):
        first, second, third = self.texts("ab   cd\n     ef\n")
        self.assertEqual([first[0], second[0], third[0]], ["ab", "cd", "ef"])
        self.assertEqual(second[1] - first[1], 5 * 8)  # five columns of 8 units
        self.assertEqual(third[1], second[1])
        self.assertEqual(third[2] - second[2], 18)  # one row of 18

    def test_equal_words_in_a_line_have_columns_of_their_own(self):
        self.assertEqual([text[1] for text in self.texts("x   x   x\n")], [14, 14 + 32, 14 + 64])

    def test_colours_end_where_they_are_switched_off(self):
        self.assertEqual([(text[0], text[3]) for text in self.texts("a  \x1b[32mgood\x1b[0m  \x1b[1;31mbad\x1b[39m  b\n")],
                         [("a", None), ("good", "#3fb950"), ("bad", "#ff7b72"), ("b", None)])

    def test_colours_of_256_and_of_24_bits_are_drawn(self):
        # 208: 16 + 36 * 5 + 6 * 2 + 0, so red 255, green 95 + 40 = 135, blue 0; 244: grey 8 + 10 * 12 = 128; 2: of the 16.
        self.assertEqual([(text[0], text[3]) for text in self.texts(
            "\x1b[38;5;208ma  \x1b[38;5;244mb  \x1b[38;5;2mc  \x1b[38;2;1;31;255md\x1b[0m  e\n")],
            [("a", "#ff8700"), ("b", "#808080"), ("c", "#3fb950"), ("d", "#011fff"), ("e", None)])

    def test_parts_of_a_background_are_no_codes(self):
        root = ElementTree.fromstring(self.draw("\x1b[48;5;1ma\x1b[48;2;1;31;2m  b\x1b[38;5;300;1m  c\n").stdout)
        texts = [(text.text, text.get("fill"), text.get("font-weight"), text.get("opacity")) for text in root.iter(NAMESPACE + "text")]
        self.assertEqual(texts, [("a", None, None, None), ("b", None, None, None), ("c", None, "bold", None)])

    def test_other_sequences_and_markup_are_harmless(self):
        self.assertEqual([text[0] for text in self.texts("\x1b[2K\r<a> & \x1b]0;title\x07\"b\"\n")], ["<a> &", '"b"'])

    def test_a_title_is_shown(self):
        self.assertEqual(self.texts("a\n", "--title", "a < b")[0][0], "a < b")

    def test_nothing_to_draw_is_an_error(self):
        result = self.draw(" \n")
        self.assertEqual((result.returncode, result.stdout), (3, ""))


if __name__ == "__main__":
    unittest.main()
