package recipes

import (
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func Marshal(item any) (map[string]types.AttributeValue, error) {
	return attributevalue.MarshalMapWithOptions(item, func(o *attributevalue.EncoderOptions) {
		o.UseEncodingMarshalers = true
	})
}

func Unmarshal(m map[string]types.AttributeValue, item any) error {
	return attributevalue.UnmarshalMapWithOptions(m, item, func(o *attributevalue.DecoderOptions) {
		o.UseEncodingUnmarshalers = true
	})
}
