from infx.model.statement import statement_digest


def test_the_digest_of_a_statement_is_that_of_its_lines():
    # By sha256sum, of "sed -i s/a/b/ x" and "EOF" with one line end between them.
    digest = "0f6a56540878d8e29c179b7ff5c9b441cc4999c11700aced1f1eb102e09ff8a7"
    assert statement_digest("  sed -i s/a/b/ x \t\r\nEOF\n") == digest
