// Reads {"secret", "headers", "body"} from stdin and prints the verdict of the official Go verifier.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

type delivery struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

func main() {
	var received delivery
	if err := json.NewDecoder(os.Stdin).Decode(&received); err != nil {
		panic(err)
	}
	verifier, err := standardwebhooks.NewWebhook(received.Secret)
	if err != nil {
		panic(err)
	}
	headers := http.Header{}
	for name, value := range received.Headers {
		headers.Set(name, value)
	}
	if err := verifier.Verify([]byte(received.Body), headers); err != nil {
		fmt.Printf("refused: %v\n", err)
		return
	}
	fmt.Println("accepted")
}
